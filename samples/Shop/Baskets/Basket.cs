using ShopSample.Ordering;

namespace ShopSample.Baskets;

/// <summary>
/// What a visitor is about to buy: items and quantities, nothing else. Prices and stock are asked of the database
/// whenever the basket is shown, so there is nothing in it to tamper with.
/// </summary>
/// <param name="quantities">By the item's id.</param>
public sealed class Basket(Dictionary<int, int> quantities)
{
    /// <summary>The most of one item in one order.</summary>
    public const int MaxQuantity = 10;

    /// <summary>Quantities by the item's id.</summary>
    public IReadOnlyDictionary<int, int> Quantities => quantities;

    /// <summary>How many pieces there are in all.</summary>
    public int Count => quantities.Values.Sum();

    /// <summary>The checkout's form when it was sent with a mistake; null when it was not.</summary>
    public OrderForm? Draft { get; set; }

    public int QuantityOf(int item) => quantities.GetValueOrDefault(item);

    /// <summary>No more than <see cref="MaxQuantity"/> are kept; 0 or less takes the item out.</summary>
    public void Set(int item, int quantity)
    {
        if (quantity > 0)
        {
            quantities[item] = Math.Min(quantity, MaxQuantity);
        }
        else
        {
            quantities.Remove(item);
        }
    }
}
