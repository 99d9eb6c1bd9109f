#define LENGTH 1000000

void to_lower(char s[LENGTH])
{
    for (int i = 0; i < LENGTH; i++)
        if (s[i] >= 'A' && s[i] <= 'Z') s[i] += 32;
}

int count_vowels(const char s[LENGTH])
{
    int n = 0;
    for (int i = 0; i < LENGTH; i++)
        n += s[i] == 'a' || s[i] == 'e' || s[i] == 'i' || s[i] == 'o' || s[i] == 'u';
    return n;
}

void letter_counts(const char s[LENGTH], int counts[26])
{
    for (int i = 0; i < LENGTH; i++) {
        char c = s[i];
        if (c >= 'a' && c <= 'z') counts[c - 'a']++;
    }
}

int first_space(const char *s)
{
    int i = 0;
    while (s[i] && s[i] != ' ') i++;
    return i;
}
