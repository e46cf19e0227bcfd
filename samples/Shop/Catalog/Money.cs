using System.Globalization;

namespace ShopSample.Catalog;

/// <summary>Amounts in euros: one currency and one way of writing it, whatever the server's culture.</summary>
public static class Money
{
    public static string Format(decimal amount) => amount.ToString("€#,##0.00", CultureInfo.InvariantCulture);

    public static int ToCents(decimal amount) => decimal.ToInt32(amount * 100);
}
