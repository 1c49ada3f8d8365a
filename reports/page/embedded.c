/*
 * Embeds the bundled page in the program. A build without npm or network has an empty page and
 * explains how to get one.
 */
#include "reports/page/page.h"

#ifdef PERFLAB_PAGE_WHY_NOT

const char report_page[] = "";
const char report_page_why_not[] = PERFLAB_PAGE_WHY_NOT;
#define PAGE_LENGTH 0

#else

/* The assembler finds page.html in the build folder, which is on the include path. */
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
#define PAGE_LENGTH (size_t)(report_page_end - report_page)

#endif

size_t report_page_length(void)
{
	return PAGE_LENGTH;
}
