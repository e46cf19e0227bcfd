using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.WebUtilities;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The field <c>Status</c> of a CGI response (RFC 3875, section 6.3.3), with a reason in every case.</summary>
/// <remarks>Without a reason h2o says <c>404 OK</c> to the client.</remarks>
internal static class StatusLine
{
    private const int First = 100;
    private const int FirstFinal = 200;
    private const int Last = 999;

    private static readonly byte[]?[] _known = CreateKnown();

    /// <summary>The whole line with its end for a status that has a reason of its own; empty for any other.</summary>
    public static ReadOnlySpan<byte> Find(int statusCode) =>
        (uint)statusCode < (uint)_known.Length ? _known[statusCode] : default(ReadOnlySpan<byte>);

    /// <summary>The reason for a status that has none of its own, by its class.</summary>
    public static string GenericReason(int statusCode) => (statusCode / 100) switch
    {
        2 => "Success",
        3 => "Redirection",
        4 => "Client Error",
        5 => "Server Error",
        _ => "Unknown",
    };

    /// <param name="statusCode">The status of a response.</param>
    /// <param name="isUpgrade">The head is that of an upgrade.</param>
    /// <exception cref="InvalidOperationException">
    /// The status has not three digits, or is informational: web servers pass it on as the only response, and the
    /// client waits for the final one for ever.
    /// </exception>
    public static void RequireValid(int statusCode, bool isUpgrade)
    {
        if (statusCode is < FirstFinal or > Last && !isUpgrade)
        {
            ThrowInvalid(statusCode);
        }
    }

    private static byte[]?[] CreateKnown()
    {
        var lines = new byte[]?[600];
        for (var statusCode = First; statusCode < lines.Length; statusCode++)
        {
            var reason = ReasonPhrases.GetReasonPhrase(statusCode);
            if (reason.Length > 0)
            {
                lines[statusCode] = Encoding.ASCII.GetBytes(
                    string.Create(CultureInfo.InvariantCulture, $"Status: {statusCode} {reason}\r\n"));
            }
        }

        return lines;
    }

    [DoesNotReturn]
    private static void ThrowInvalid(int statusCode) =>
        throw new InvalidOperationException(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The status {statusCode} is none of a final response: those are from {FirstFinal} to {Last}."));
}
