using System.Text.Json;

namespace ShopSample.Baskets;

/// <summary>
/// What a visitor is about to buy, in the session: items and quantities, nothing else. Prices and stock are asked of
/// the database whenever the basket is shown, so there is nothing in it to tamper with.
/// </summary>
public sealed class Basket
{
    /// <summary>The most of one item in one order.</summary>
    public const int MaxQuantity = 10;

    private const string Key = "basket";

    private readonly ISession _session;
    private readonly Dictionary<int, int> _quantities;

    private Basket(ISession session, Dictionary<int, int> quantities)
    {
        _session = session;
        _quantities = quantities;
    }

    /// <summary>Quantities by the item's id.</summary>
    public IReadOnlyDictionary<int, int> Quantities => _quantities;

    /// <summary>How many pieces there are in all.</summary>
    public int Count => _quantities.Values.Sum();

    public static async Task<Basket> OpenAsync(ISession session, CancellationToken cancellationToken)
    {
        await session.LoadAsync(cancellationToken);
        var stored = session.Get(Key);
        var quantities = stored is null ? null : JsonSerializer.Deserialize<Dictionary<int, int>>(stored);
        return new Basket(session, quantities ?? []);
    }

    public int QuantityOf(int item) => _quantities.GetValueOrDefault(item);

    /// <summary>No more than <see cref="MaxQuantity"/> are kept; 0 or less takes the item out.</summary>
    public void Set(int item, int quantity)
    {
        if (quantity > 0)
        {
            _quantities[item] = Math.Min(quantity, MaxQuantity);
        }
        else
        {
            _quantities.Remove(item);
        }

        _session.Set(Key, JsonSerializer.SerializeToUtf8Bytes(_quantities));
    }

    public void Clear()
    {
        _quantities.Clear();
        _session.Remove(Key);
    }
}
