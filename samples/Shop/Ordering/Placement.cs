namespace ShopSample.Ordering;

/// <summary>What became of an attempt to order.</summary>
/// <param name="Number">Null when nothing was ordered.</param>
/// <param name="Missing">
/// The item that there is not enough of, or at another price; null when the order was placed.
/// </param>
public readonly record struct Placement(OrderNumber? Number, int? Missing)
{
    public static Placement Of(OrderNumber number) => new(number, null);

    public static Placement Without(int item) => new(null, item);
}
