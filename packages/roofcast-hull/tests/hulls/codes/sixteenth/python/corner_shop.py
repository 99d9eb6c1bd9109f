"""Stock of a shop, day by day and item by item, in plain Python."""
import random

ITEMS, DAYS = 400, 365


def run_year(demand, start, restock):
    lost = [0.0 for _ in range(ITEMS)]
    left = [0.0 for _ in range(ITEMS)]
    for item in range(ITEMS):
        stock = start[item]
        missed = 0.0
        for day in range(DAYS):
            wanted = demand[item][day]
            sold = min(stock, wanted)
            missed += wanted - sold
            stock += restock[item] - sold
        lost[item] = missed
        left[item] = stock
    return lost, left


def weekday_sales(demand, price):
    """Turnover of 52 weeks by day of the week."""
    turnover = [0.0] * 7
    for d in range(7):
        for week in range(52):
            for item in range(ITEMS):
                turnover[d] += demand[item][7 * week + d] * price[item]
    return turnover


if __name__ == "__main__":
    random.seed(8)
    demand = [[random.uniform(0, 9) for _ in range(DAYS)] for _ in range(ITEMS)]
    start = [random.uniform(10, 40) for _ in range(ITEMS)]
    restock = [random.uniform(3, 6) for _ in range(ITEMS)]
    lost, left = run_year(demand, start, restock)
    print(sum(lost), sum(left), weekday_sales(demand, start))
