// Height of a random coalescent tree and its total branch length, by recursion over the nodes.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>

struct Node {
    double branch = 0;
    std::unique_ptr<Node> left, right;
};

static double height(const Node* n)
{
    if (!n) return 0.0;
    return n->branch + std::max(height(n->left.get()), height(n->right.get()));
}

static std::unique_ptr<Node> grow(int tips, std::mt19937& g)
{
    auto n = std::make_unique<Node>();
    n->branch = g() % 1000 * 1e-3;
    if (tips > 1) {
        int l = 1 + g() % (tips - 1);
        n->left = grow(l, g);
        n->right = grow(tips - l, g);
    }
    return n;
}

int main()
{
    std::mt19937 g(5);
    auto root = grow(2000, g);
    std::printf("%f\n", height(root.get()));
}
