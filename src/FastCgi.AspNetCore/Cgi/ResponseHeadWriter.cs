using System.Buffers.Text;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>Writes the head of a CGI response (RFC 3875, section 6.3).</summary>
/// <remarks>
/// <para>
/// The header fields, one line for each value; then always <c>Status: nnn Reason</c>; then an empty line. The status
/// follows <c>Location</c>, because otherwise HAProxy 2.6 lets the latter override it. For an authorizer and an upgrade
/// the status comes first.
/// </para>
/// <para>
/// Every name and value is checked here, even if it was checked before: a value may be in an array that has changed
/// since, and the dictionary may be the application's.
/// </para>
/// </remarks>
internal static class ResponseHeadWriter
{
    private const string AccelBuffering = "X-Accel-Buffering";
    private const string AccelExpires = "X-Accel-Expires";
    private const int FirstStatus = 100;
    private const int FirstFinalStatus = 200;
    private const int LastStatus = 999;

    // The field Status (RFC 3875, section 6.3.3), always with a reason: otherwise h2o says "404 OK".
    private static readonly byte[]?[] s_statusLines = CreateStatusLines();

    /// <summary>Writes the head, without headers that the application must not set. False if it does not fit.</summary>
    /// <exception cref="InvalidOperationException">A name, a value or the status is invalid.</exception>
    public static bool TryWrite(Span<byte> destination, in ResponseHead head, out int written, out bool droppedHeaders)
    {
        RequireValidStatus(head.StatusCode, head.Upgrades);
        droppedHeaders = false;
        var buffer = new HeadBuffer(destination);
        if (head.StatusFirst)
        {
            AppendStatus(ref buffer, head);
        }

        if (head.Headers is ResponseHeaderDictionary own)
        {
            for (var i = 0; i < own.EntryCount; i++)
            {
                ref readonly var header = ref own.EntryAt(i);
                droppedHeaders |= !TryAppend(ref buffer, head, header.Name, header.Value);
            }
        }
        else
        {
            foreach (var header in head.Headers)
            {
                droppedHeaders |= !TryAppend(ref buffer, head, header.Key, header.Value);
            }
        }

        if (head.Headers.ContentLength is { } length)
        {
            buffer.Append("Content-Length: "u8);
            buffer.Append(length);
            buffer.AppendLineEnd();
        }

        AppendOwn(ref buffer, head);
        if (!head.StatusFirst)
        {
            AppendStatus(ref buffer, head);
        }

        buffer.AppendLineEnd();
        written = buffer.IsFull ? 0 : buffer.Length;
        return !buffer.IsFull;
    }

    private static bool TryAppend(ref HeadBuffer buffer, in ResponseHead head, string name, StringValues lines)
    {
        if (IsReserved(name) && !(head.Upgrades && IsOfUpgrade(name)))
        {
            return false;
        }

        if (name.Equals(HeaderNames.ContentLength, StringComparison.OrdinalIgnoreCase))
        {
            // Written once, from the number: nginx and h2o refuse two of them.
            if (lines.Count > 1 || (lines.Count == 1 && head.Headers.ContentLength is null or < 0))
            {
                throw HeaderValidation.InvalidContentLength(lines);
            }

            return true;
        }

        HeaderValidation.RequireName(name);
        var encoding = head.EncodingSelector?.Invoke(name);
        foreach (var line in lines)
        {
            if (line is null)
            {
                continue;
            }

            HeaderValidation.RequireValue(name, line, isAscii: encoding is null);
            buffer.AppendAscii(name);
            buffer.Append(": "u8);
            if (encoding is null)
            {
                buffer.AppendAscii(line);
            }
            else
            {
                buffer.AppendEncoded(name, line, encoding);
            }

            buffer.AppendLineEnd();
        }

        return true;
    }

    private static void AppendOwn(ref HeadBuffer buffer, in ResponseHead head)
    {
        if (head is { FileHeaderName: { } name, FileHeaderValue: { } file })
        {
            buffer.AppendAscii(name);
            buffer.Append(": "u8);
            buffer.AppendEncoded(name, file, Encoding.UTF8);
            buffer.AppendLineEnd();
        }

        if (head.DisableBuffering && !head.Headers.ContainsKey(AccelBuffering))
        {
            buffer.Append("X-Accel-Buffering: no\r\n"u8);
        }

        if (head.DisableCaching && !head.Headers.ContainsKey(AccelExpires))
        {
            buffer.Append("X-Accel-Expires: 0\r\n"u8);
        }

        if (head.AddServerHeader && !head.Headers.ContainsKey(HeaderNames.Server))
        {
            buffer.Append("Server: FastCgi.AspNetCore\r\n"u8);
        }
    }

    private static void AppendStatus(ref HeadBuffer buffer, in ResponseHead head)
    {
        var reason = head.ReasonPhrase;
        if (string.IsNullOrEmpty(reason))
        {
            if (head.StatusCode < s_statusLines.Length && s_statusLines[head.StatusCode] is { } known)
            {
                buffer.Append(known);
                return;
            }

            reason = (head.StatusCode / 100) switch
            {
                2 => "Success",
                3 => "Redirection",
                4 => "Client Error",
                5 => "Server Error",
                _ => "Unknown",
            };
        }

        buffer.Append("Status: "u8);
        buffer.Append(head.StatusCode);
        buffer.Append(" "u8);
        buffer.AppendSanitised(reason);
        buffer.AppendLineEnd();
    }

    /// <summary>True for a hop-by-hop header, and for the status, which is written from the number.</summary>
    private static bool IsReserved(string name) => name.Length switch
    {
        2 => name.Equals(HeaderNames.TE, StringComparison.OrdinalIgnoreCase),
        6 => name.Equals("Status", StringComparison.OrdinalIgnoreCase),
        7 => name.Equals(HeaderNames.Upgrade, StringComparison.OrdinalIgnoreCase)
            || name.Equals(HeaderNames.Trailer, StringComparison.OrdinalIgnoreCase),
        10 => name.Equals(HeaderNames.Connection, StringComparison.OrdinalIgnoreCase)
            || name.Equals(HeaderNames.KeepAlive, StringComparison.OrdinalIgnoreCase),
        16 => name.Equals(HeaderNames.ProxyConnection, StringComparison.OrdinalIgnoreCase),
        17 => name.Equals(HeaderNames.TransferEncoding, StringComparison.OrdinalIgnoreCase),
        _ => false,
    };

    private static bool IsOfUpgrade(string name) =>
        name.Equals(HeaderNames.Upgrade, StringComparison.OrdinalIgnoreCase)
        || name.Equals(HeaderNames.Connection, StringComparison.OrdinalIgnoreCase);

    /// <exception cref="InvalidOperationException">
    /// The status has not three digits, or it is informational: web servers pass that on as the only response, and the
    /// client waits for the final one forever.
    /// </exception>
    private static void RequireValidStatus(int statusCode, bool isUpgrade)
    {
        if (statusCode is < FirstFinalStatus or > LastStatus && !isUpgrade)
        {
            throw new InvalidOperationException(string.Create(
                CultureInfo.InvariantCulture,
                $"The status {statusCode} is none of a final response: those are from {FirstFinalStatus} to " +
                $"{LastStatus}."));
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

    /// <summary>Appends to the head while there is room. After a part that did not fit, appends nothing.</summary>
    private ref struct HeadBuffer(Span<byte> destination)
    {
        private readonly Span<byte> _destination = destination;

        public int Length { get; private set; }

        /// <summary>True if a part did not fit.</summary>
        public bool IsFull { get; private set; }

        private readonly Span<byte> Rest => _destination[Length..];

        public void Append(ReadOnlySpan<byte> bytes)
        {
            if (TryReserve(bytes.Length))
            {
                bytes.CopyTo(Rest);
                Length += bytes.Length;
            }
        }

        public void AppendLineEnd() => Append("\r\n"u8);

        public void Append(long number)
        {
            if (!IsFull && Utf8Formatter.TryFormat(number, Rest, out var written))
            {
                Length += written;
            }
            else
            {
                IsFull = true;
            }
        }

        /// <summary>Appends text that was checked to be ASCII.</summary>
        public void AppendAscii(ReadOnlySpan<char> text)
        {
            if (TryReserve(text.Length))
            {
                Length += Encoding.ASCII.GetBytes(text, Rest);
            }
        }

        /// <summary>Appends text for people. All but visible ASCII becomes a question mark.</summary>
        public void AppendSanitised(ReadOnlySpan<char> text)
        {
            if (!TryReserve(text.Length))
            {
                return;
            }

            foreach (var character in text)
            {
                _destination[Length++] = character is >= ' ' and < (char)0x7F ? (byte)character : (byte)'?';
            }
        }

        /// <summary>Appends a header's value in the chosen encoding.</summary>
        /// <exception cref="InvalidOperationException">The encoded value contains a control byte.</exception>
        public void AppendEncoded(string name, string value, Encoding encoding)
        {
            if (IsFull || !encoding.TryGetBytes(value, Rest, out var written))
            {
                IsFull = true;
                return;
            }

            HeaderValidation.RequireEncoded(name, Rest[..written], encoding);
            Length += written;
        }

        private bool TryReserve(int length)
        {
            IsFull |= length > _destination.Length - Length;
            return !IsFull;
        }
    }
}

/// <summary>The head of a response, ready to be written.</summary>
internal readonly struct ResponseHead
{
    /// <summary>200 to 999; 101 for an upgrade.</summary>
    public required int StatusCode { get; init; }

    /// <summary>The application's text for the status; null or empty for the standard one.</summary>
    public string? ReasonPhrase { get; init; }

    /// <summary>Any dictionary: an application may have replaced ours.</summary>
    public required IHeaderDictionary Headers { get; init; }

    /// <summary>
    /// True for an authorizer's answer and for an upgrade, because lighttpd processes each line as it comes. It takes
    /// headers before an authorizer's status for part of a permission, and drops Upgrade before a status of 101.
    /// </summary>
    public bool StatusFirst { get; init; }

    /// <summary>True for the head of an upgrade, the only one with <c>Connection</c> and <c>Upgrade</c>.</summary>
    public bool Upgrades { get; init; }

    /// <summary>Adds <c>X-Accel-Buffering: no</c>, unless the application sets the header.</summary>
    public bool DisableBuffering { get; init; }

    /// <summary>
    /// Adds <c>X-Accel-Expires: 0</c>, unless the application sets the header. For HEAD: otherwise nginx would cache
    /// the response without a body, and return it for GET. nginx does not pass the header on.
    /// </summary>
    public bool DisableCaching { get; init; }

    /// <summary>Adds <c>Server</c>, unless the application sets it.</summary>
    public bool AddServerHeader { get; init; }

    /// <summary>The header that names the file to be sent by the web server; null for none.</summary>
    public string? FileHeaderName { get; init; }

    /// <summary>The file's name, written in UTF-8 as in the file system.</summary>
    public string? FileHeaderValue { get; init; }

    /// <summary>The encoding for the values of a header by name. Null, or a null result, for ASCII.</summary>
    public Func<string, Encoding?>? EncodingSelector { get; init; }
}
