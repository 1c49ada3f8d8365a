/*
 * The bundled page as bytes of the program. A build without it (no npm, no
 * network) has an empty one, and says what to do for it.
 */
#include "reports/page.h"

#ifdef PERFLAB_PAGE_WHY_NOT

const char report_page[] = "";
const char report_page_why_not[] = PERFLAB_PAGE_WHY_NOT;

size_t report_page_length(void)
{
	return 0;
}

#else

/* page.html lies in the build folder, which is searched as for an include. */
__asm__(".pushsection .rodata\n"
	".globl report_page\n"
	".type report_page, @object\n"
	"report_page:\n"
	".incbin \"page.html\"\n"
	"report_page_end:\n"
	".byte 0\n"
	".size report_page, . - report_page\n"
	".popsection\n");
extern const char report_page_end[] __asm__("report_page_end");

const char report_page_why_not[] = "";

size_t report_page_length(void)
{
	return (size_t)(report_page_end - report_page);
}

#endif
