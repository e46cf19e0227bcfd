using ShopSample.Catalog;

namespace ShopSample.Baskets;

/// <summary>A basket with the names, prices and stock of this moment.</summary>
public sealed record BasketSummary(IReadOnlyList<BasketLine> Lines)
{
    public bool IsEmpty => Lines.Count == 0;

    public decimal Goods => Lines.Sum(line => line.Total);

    public decimal Delivery => Ordering.Delivery.CostOf(Goods);

    public decimal Total => Goods + Delivery;

    /// <summary>Items that the shop no longer has are left out.</summary>
    public static async Task<BasketSummary> OfAsync(
        Basket basket, ItemStore items, CancellationToken cancellationToken)
    {
        var found = await items.WithIdsAsync([.. basket.Quantities.Keys], cancellationToken);
        return new(
        [
            .. found.OrderBy(item => item.Name, StringComparer.Ordinal)
                .Select(item => new BasketLine(item, basket.QuantityOf(item.Id))),
        ]);
    }
}
