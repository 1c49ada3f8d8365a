/* A program that does not use CUDA. It is also linked statically. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	printf("%d %d %d\n", argc, errno, getenv("PERFLAB_RECORD") != NULL);
	for (int i = 1; i < argc; i++)
		puts(argv[i]);
	return 9;
}
