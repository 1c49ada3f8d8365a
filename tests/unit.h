#ifndef PERFLAB_TESTS_UNIT_H
#define PERFLAB_TESTS_UNIT_H

/* Included before every source of a program of tests. The files of a folder are one program, so the
   main() of each becomes a function, test_NAME(): perflab_test() in cmake/PerflabTargets.cmake. */
#ifdef UNIT_MAIN
int UNIT_MAIN(void);
#define main UNIT_MAIN
#endif

#endif
