import random

RECIPES, INGREDIENTS, NUTRIENTS = 300, 80, 26


def nutrition(amounts, facts):
    return [[sum(amounts[r][i] * facts[i][n] for i in range(INGREDIENTS)) for n in range(NUTRIENTS)]
            for r in range(RECIPES)]


def portion_cost(amounts, price, servings):
    cost = [0.0] * RECIPES
    for r in range(RECIPES):
        row = amounts[r]
        s = 0.0
        i = 0
        while i < INGREDIENTS:
            s += row[i] * price[i]
            i += 1
        cost[r] = s / servings[r]
    return cost


random.seed(5)
amounts = [[random.random() * 250 for _ in range(INGREDIENTS)] for _ in range(RECIPES)]
facts = [[random.random() for _ in range(NUTRIENTS)] for _ in range(INGREDIENTS)]
price = [random.random() * 0.02 for _ in range(INGREDIENTS)]
servings = [float(random.randint(1, 8)) for _ in range(RECIPES)]
table = nutrition(amounts, facts)
print(table[0][:3], portion_cost(amounts, price, servings)[:3])
