using System.Buffers;
using System.Security.Cryptography;

namespace ShopSample.Ordering;

/// <summary>
/// Names an order, and is the only key to its page: eighty random bits, in letters and digits that nobody confuses.
/// </summary>
public readonly record struct OrderNumber
{
    private const int Length = 16;
    private const string Letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    private static readonly SearchValues<char> _letters = SearchValues.Create(Letters);

    private OrderNumber(string value) => Value = value;

    public string Value { get; }

    public static OrderNumber Create() => new(RandomNumberGenerator.GetString(Letters, Length));

    public static bool TryParse(string? text, out OrderNumber number)
    {
        var isNumber = text is { Length: Length } && !text.AsSpan().ContainsAnyExcept(_letters);
        number = isNumber ? new(text!) : default;
        return isNumber;
    }

    /// <summary>In groups of four, as people read it out.</summary>
    public override string ToString() => string.Join('-', Value.Chunk(4).Select(group => new string(group)));
}
