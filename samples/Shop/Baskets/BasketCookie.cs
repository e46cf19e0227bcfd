using System.Security.Cryptography;

namespace ShopSample.Baskets;

/// <summary>The cookie that names a visitor's basket: 128 random bits, which nobody guesses.</summary>
internal static class BasketCookie
{
    private const string Name = "shop";
    private const int Length = 32;

    /// <returns>Null when the browser has none, or one that this shop did not make.</returns>
    public static string? Read(HttpContext context) =>
        context.Items[Name] as string
        ?? (context.Request.Cookies[Name] is { Length: Length } id && id.All(char.IsAsciiHexDigitLower) ? id : null);

    public static string Create(HttpContext context)
    {
        var id = RandomNumberGenerator.GetHexString(Length, lowercase: true);
        context.Items[Name] = id;
        context.Response.Cookies.Append(Name, id, new CookieOptions
        {
            HttpOnly = true,
            IsEssential = true,
            SameSite = SameSiteMode.Lax,
            // The web server tells by FastCGI whether the browser's connection is encrypted.
            Secure = context.Request.IsHttps,
        });
        return id;
    }
}
