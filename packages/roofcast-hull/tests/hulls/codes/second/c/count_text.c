/* Lines and blanks of a text. */
#include <stddef.h>

#define LENGTH ((size_t)1 << 24)
static char text[LENGTH];

void count_text(const char *s, size_t length, long *lines, long *blanks)
{
    long l = 0, b = 0;
    for (size_t i = 0; i < length; i++) {
        if (s[i] == '\n')
            l++;
        if (s[i] == ' ' || s[i] == '\t')
            b++;
    }
    *lines = l;
    *blanks = b;
}

int main(void)
{
    long lines, blanks;
    count_text(text, LENGTH, &lines, &blanks);
    return lines + blanks > 0;
}
