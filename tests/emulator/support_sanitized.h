/* Whether this build has AddressSanitizer, which makes a case ten times as long. */
#ifndef TESTS_EMULATOR_SUPPORT_SANITIZED_H
#define TESTS_EMULATOR_SUPPORT_SANITIZED_H

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#elif defined(__SANITIZE_ADDRESS__) /* gcc */
#define SANITIZED true
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#endif
