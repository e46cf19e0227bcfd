using ShopSample.Catalog;

namespace ShopSample.Baskets;

public sealed record BasketLine(ItemCard Item, int Quantity)
{
    public decimal Total => Item.Price * Quantity;

    /// <summary>Fewer are left than the visitor wants.</summary>
    public bool IsShort => Quantity > Item.Stock;
}
