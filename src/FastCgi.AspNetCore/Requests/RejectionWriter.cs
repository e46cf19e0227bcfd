using System.Text;
using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.WebUtilities;

namespace FastCgi.AspNetCore.Requests;

/// <summary>The whole answer to a request that no application sees: a status and a text for a person.</summary>
internal static class RejectionWriter
{
    /// <summary>The number of bytes, or -1 when they do not fit.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="rejection">Why.</param>
    /// <param name="isHead">The head alone, as it is for GET (RFC 9110, section 9.3.2).</param>
    public static int Write(Span<byte> destination, in CgiRejection rejection, bool isHead)
    {
        // The status first, as an authorizer's has to be.
        string answer = $"Status: {rejection.StatusCode} {ReasonPhrases.GetReasonPhrase(rejection.StatusCode)}\r\n" +
            $"{rejection.Headers}\r\nContent-Length: " +
            $"{rejection.Text.Length}\r\n\r\n{(isHead ? "" : rejection.Text)}";
        return Encoding.ASCII.TryGetBytes(answer, destination, out int written) ? written : -1;
    }
}
