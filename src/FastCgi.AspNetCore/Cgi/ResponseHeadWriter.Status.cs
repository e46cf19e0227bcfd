using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.WebUtilities;

namespace FastCgi.AspNetCore.Cgi;

// The field Status of a CGI response (RFC 3875, section 6.3.3), with a reason in every case: without one h2o says
// "404 OK" to the client.
internal static partial class ResponseHeadWriter
{
    private const int FirstStatus = 100;
    private const int FirstFinalStatus = 200;
    private const int LastStatus = 999;

    private static readonly byte[]?[] s_statusLines = CreateStatusLines();

    /// <summary>The whole line with its end for a status that has a reason of its own; empty for any other.</summary>
    private static ReadOnlySpan<byte> FindStatusLine(int statusCode) =>
        (uint)statusCode < (uint)s_statusLines.Length ? s_statusLines[statusCode] : default(ReadOnlySpan<byte>);

    /// <summary>The reason for a status that has none of its own, by its class.</summary>
    private static string GenericReason(int statusCode) => (statusCode / 100) switch
    {
        2 => "Success",
        3 => "Redirection",
        4 => "Client Error",
        5 => "Server Error",
        _ => "Unknown",
    };

    /// <exception cref="InvalidOperationException">
    /// The status has not three digits, or is informational: web servers pass it on as the only response, and the
    /// client waits for the final one for ever.
    /// </exception>
    private static void RequireValidStatus(int statusCode, bool isUpgrade)
    {
        if (statusCode is < FirstFinalStatus or > LastStatus && !isUpgrade)
        {
            ThrowInvalidStatus(statusCode);
        }
    }

    private static byte[]?[] CreateStatusLines()
    {
        var lines = new byte[]?[600];
        for (var statusCode = FirstStatus; statusCode < lines.Length; statusCode++)
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
    private static void ThrowInvalidStatus(int statusCode) =>
        throw new InvalidOperationException(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The status {statusCode} is none of a final response: those are from {FirstFinalStatus} to " +
                $"{LastStatus}."));
}
