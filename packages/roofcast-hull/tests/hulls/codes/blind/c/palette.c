typedef unsigned char u8;
#define H 480
#define W 640

void colours(const u8 index[H][W], const u8 palette[256][3], u8 rgb[H][W][3])
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 3; c++)
                rgb[y][x][c] = palette[index[y][x]][c];
}
