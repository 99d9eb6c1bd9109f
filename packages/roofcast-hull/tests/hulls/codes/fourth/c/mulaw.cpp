#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

using Table = std::array<std::int16_t, 256>;

static Table make_table()
{
    Table t{};
    for (int code = 0; code < 256; ++code) {
        const int u = ~code & 0xff;
        const int magnitude = ((((u & 0x0f) << 3) + 0x84) << ((u & 0x70) >> 4)) - 0x84;
        t[code] = static_cast<std::int16_t>(u & 0x80 ? -magnitude : magnitude);
    }
    return t;
}

void expand(const std::vector<std::uint8_t>& codes, const Table& table, float gain, std::vector<float>& sound)
{
    for (std::size_t i = 0; i < codes.size(); i++)
        sound[i] = gain * table[codes[i]];
}

int main()
{
    const std::size_t samples = 8000 * 60;
    std::vector<std::uint8_t> codes(samples);
    std::vector<float> sound(samples);
    for (std::size_t i = 0; i < samples; i++)
        codes[i] = static_cast<std::uint8_t>(i * 13);
    const Table table = make_table();
    expand(codes, table, 1.0f / 32768.0f, sound);
    std::cout << sound[5] << "\n";
    return 0;
}
