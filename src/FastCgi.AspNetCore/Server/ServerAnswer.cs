using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.WebUtilities;

namespace FastCgi.AspNetCore.Server;

/// <summary>A whole answer of the server itself. Nothing may cache it.</summary>
internal sealed record ServerAnswer(int StatusCode, string ContentType, byte[] Body)
{
    public static ServerAnswer Text(int statusCode, string text) =>
        new(statusCode, "text/plain;charset=UTF-8", Encoding.UTF8.GetBytes(text));

    /// <summary>The response head. The status first, as an authorizer's has to be.</summary>
    public string Head => string.Create(
        CultureInfo.InvariantCulture,
        $"Status: {StatusCode} {ReasonPhrases.GetReasonPhrase(StatusCode)}\r\n" +
        $"Expires: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
        $"Cache-Control: no-cache, no-store, must-revalidate, max-age=0\r\n" +
        $"Content-Type: {ContentType}\r\nContent-Length: {Body.Length}\r\n\r\n");
}
