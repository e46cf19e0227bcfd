using System.Globalization;
using ShopSample.Catalog;

namespace ShopSample.Baskets;

/// <summary>A basket with the names, prices and stock of this moment.</summary>
public sealed record BasketSummary(IReadOnlyList<BasketLine> Lines)
{
    public bool IsEmpty => Lines.Count == 0;

    public decimal Goods => Lines.Sum(line => line.Total);

    public decimal Delivery => Ordering.Delivery.CostOf(Goods);

    public decimal Total => Goods + Delivery;

    /// <summary>
    /// The order as the checkout's page shows it, for its form to send back: <c>id:quantity:cents</c> for each item.
    /// </summary>
    public string Shown => string.Join(' ', Lines.Select(static line => string.Create(
        CultureInfo.InvariantCulture, $"{line.Item.Id}:{line.Quantity}:{Money.ToCents(line.Item.Price)}")));

    /// <summary>
    /// A sentence for each difference to what was shown, by <see cref="Shown"/> of then. Any other text showed nothing.
    /// </summary>
    public async Task<IReadOnlyList<string>> ChangesSinceAsync(
        string shown, ItemStore items, CancellationToken cancellationToken)
    {
        var before = Parse(shown);
        var changes = new List<string>();
        foreach (var line in Lines)
        {
            if (!before.Remove(line.Item.Id, out var then))
            {
                changes.Add($"{line.Quantity} × {line.Item.Name} came in.");
                continue;
            }

            if (then.Quantity != line.Quantity)
            {
                changes.Add($"{line.Quantity} × {line.Item.Name} instead of {then.Quantity}.");
            }

            if (then.Price != line.Item.Price)
            {
                changes.Add(
                    $"{line.Item.Name} costs {Money.Format(line.Item.Price)} now, not {Money.Format(then.Price)}.");
            }
        }

        if (before.Count > 0)
        {
            var gone = await items.WithIdsAsync([.. before.Keys], cancellationToken);
            changes.AddRange(gone.Select(static item => $"{item.Name} was taken out."));
        }

        return changes;
    }

    private static Dictionary<int, (int Quantity, decimal Price)> Parse(string shown)
    {
        var lines = new Dictionary<int, (int, decimal)>();
        foreach (var line in shown.Split(' '))
        {
            var parts = line.Split(':');
            if (parts.Length == 3
                && TryParse(parts[0], out var id)
                && TryParse(parts[1], out var quantity)
                && TryParse(parts[2], out var cents))
            {
                lines[id] = (quantity, cents / 100m);
            }
        }

        return lines;
    }

    private static bool TryParse(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);

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
