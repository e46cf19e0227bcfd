namespace ShopSample.Ordering;

public static class Delivery
{
    public const decimal FreeFrom = 75m;

    public const decimal Flat = 5.90m;

    /// <param name="goods">What the goods cost together; nothing is delivered for nothing.</param>
    public static decimal CostOf(decimal goods) => goods is 0m or >= FreeFrom ? 0m : Flat;
}
