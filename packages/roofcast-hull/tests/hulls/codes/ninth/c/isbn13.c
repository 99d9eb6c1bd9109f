/* Check digits of a file of ISBN-13 stems: 12 ASCII digits each, no separators. */
#include <stddef.h>

#define ISBN_STEM     12
#define CATALOG_SIZE  2000000

char isbn_codes[(size_t)CATALOG_SIZE * ISBN_STEM];
char isbn_check[CATALOG_SIZE];

void isbn13_check_digits(const char *codes, char *check, size_t count)
{
    for (size_t b = 0; b < count; ++b) {
        const char *s = codes + b * ISBN_STEM;
        int odd = 0, even = 0;

        for (int j = 0; j < ISBN_STEM; j += 2) {
            odd += s[j] - '0';
            even += s[j + 1] - '0';
        }
        int sum = odd + 3 * even;
        check[b] = (char)('0' + (10 - sum % 10) % 10);
    }
}

void check_catalog(void)
{
    isbn13_check_digits(isbn_codes, isbn_check, CATALOG_SIZE);
}
