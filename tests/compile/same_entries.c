/* Reads lines of FIRST.cubin, ENTRY, ROOT, SECOND.cubin, ENTRY, ROOT between tabs, and answers each
 * with "same" or "different", as a sweep compares kernels. scripts/check-neighbours asks it. */
#include <stdio.h>

#include "compile/compile.h"

int main(void)
{
	char paths[2][1024], names[2][4096], roots[2][1024];

	while (scanf(" %1023[^\t]\t%4095[^\t]\t%1023[^\t]\t%1023[^\t]\t%4095[^\t]\t%1023[^\n]",
		     paths[0], names[0], roots[0], paths[1], names[1], roots[1]) == 6) {
		struct string_list entries[2] = {0};
		struct cubin_kernels kernels[2];

		for (int i = 0; i < 2; i++) {
			string_list_add(&entries[i], names[i]);
			kernels[i] = (struct cubin_kernels){paths[i], &entries[i], roots[i]};
		}
		puts(cubin_entries_are_same(&kernels[0], &kernels[1]) ? "same" : "different");
		fflush(stdout);
		for (int i = 0; i < 2; i++)
			string_list_release(&entries[i]);
	}
	return !feof(stdin);
}
