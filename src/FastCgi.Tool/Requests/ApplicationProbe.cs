using System.Buffers;
using System.Net.Sockets;

namespace FastCgi.Tool.Requests;

/// <summary>Asks an application for its capabilities (FCGI_GET_VALUES, FastCGI 1.0, section 4.1).</summary>
internal static class ApplicationProbe
{
    private const int LongestAnswer = 4096;

    /// <summary>The characters of header names.</summary>
    private static readonly SearchValues<byte> s_nameBytes =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-"u8);

    /// <summary>The application's answer, by name; null if no answer came in time, as with libfcgi.</summary>
    /// <exception cref="ToolException">The peer speaks another protocol.</exception>
    public static async Task<IReadOnlyDictionary<string, string>?> AskAsync(
        Stream stream, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var timed = new CancellationTokenSource(timeout, TimeProvider.System);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            var question = new ArrayBufferWriter<byte>();
            RecordWriter.WriteGetValues(question, ManagementVariables.All);
            await stream.WriteAsync(question.WrittenMemory, linked.Token);
            return await ReadAnswerAsync(stream, linked.Token);
        }
        catch (IOException)
        {
            // A reset tells as little as an end.
            return null;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return null;
        }
    }

    /// <summary>
    /// True if an HTTP server listens: Kestrel waits for the end of a line, and answers no FastCGI record.
    /// </summary>
    public static async Task<bool> SpeaksHttpAsync(
        FastCgiEndpoint endpoint, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var timed = new CancellationTokenSource(timeout, TimeProvider.System);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            await using Stream stream = await EndpointConnector.ConnectAsync(endpoint, linked.Token);
            await stream.WriteAsync(
                "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray(), linked.Token);
            byte[] answer = new byte[5];
            int received = await stream.ReadAtLeastAsync(
                answer, answer.Length, throwOnEndOfStream: false, linked.Token);
            return answer.AsSpan(0, received).SequenceEqual("HTTP/"u8);
        }
        catch (Exception exception) when (exception is IOException or SocketException)
        {
            return false;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    /// <summary>
    /// True if an SCGI application answers a HEAD of / with header lines. Null if no answer came in time.
    /// </summary>
    public static async Task<bool?> SpeaksScgiAsync(
        FastCgiEndpoint endpoint, TimeSpan timeout, CancellationToken cancellationToken)
    {
        const string Head = "CONTENT_LENGTH\00\0SCGI\01\0REQUEST_METHOD\0HEAD\0REQUEST_URI\0/\0SCRIPT_NAME\0/\0" +
            "SERVER_PROTOCOL\0HTTP/1.1\0HTTP_HOST\0localhost\0";
        using var timed = new CancellationTokenSource(timeout, TimeProvider.System);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            await using Stream stream = await EndpointConnector.ConnectAsync(endpoint, linked.Token);
            await stream.WriteAsync(Encoding.ASCII.GetBytes($"{Head.Length}:{Head},"), linked.Token);
            byte[] answer = new byte[64];
            int received = await stream.ReadAsync(answer, linked.Token);
            int colon = answer.AsSpan(0, received).IndexOf((byte)':');
            return colon > 0 && answer.AsSpan(0, colon).IndexOfAnyExcept(s_nameBytes) < 0;
        }
        catch (IOException)
        {
            return false;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return null;
        }
    }

    private static async Task<IReadOnlyDictionary<string, string>?> ReadAnswerAsync(
        Stream stream, CancellationToken cancellationToken)
    {
        byte[] buffer = new byte[LongestAnswer];
        int received = 0;
        while (received < buffer.Length)
        {
            int count = await ReadAsync(stream, buffer.AsMemory(received), cancellationToken);
            if (count == 0)
            {
                return received == 0 ? null : throw NoFastCgi(buffer.AsSpan(0, received));
            }

            received += count;
            if (buffer[0] != FastCgiConstants.Version)
            {
                throw NoFastCgi(buffer.AsSpan(0, received));
            }

            if (RecordHeader.TryRead(buffer.AsSpan(0, received), out RecordHeader header)
                && header.RecordSize <= received)
            {
                return header.Type == RecordType.GetValuesResult
                    ? ReadPairs(buffer.AsSpan(FastCgiConstants.HeaderSize, header.ContentLength))
                    : null;
            }
        }

        throw NoFastCgi(buffer);
    }

    private static async Task<int> ReadAsync(Stream stream, Memory<byte> buffer, CancellationToken cancellationToken)
    {
        try
        {
            return await stream.ReadAsync(buffer, cancellationToken);
        }
        catch (IOException)
        {
            // A reset tells as little as an end.
            return 0;
        }
    }

    private static Dictionary<string, string> ReadPairs(ReadOnlySpan<byte> content)
    {
        var values = new Dictionary<string, string>(StringComparer.Ordinal);
        var pairs = new NameValuePairReader(content);
        while (pairs.TryRead(out NameValuePair pair))
        {
            values[Encoding.UTF8.GetString(pair.NameIn(content))] = Encoding.UTF8.GetString(pair.ValueIn(content));
        }

        return values;
    }

    private static ToolException NoFastCgi(ReadOnlySpan<byte> answer)
    {
        string text = Encoding.Latin1.GetString(answer[..Math.Min(answer.Length, 60)]).ReplaceLineEndings(" ").Trim();
        bool isHttp = text.StartsWith("HTTP/", StringComparison.Ordinal);
        return new ToolException(
            ExitCode.BrokenAnswer,
            isHttp
                ? $"the peer answers in HTTP ('{text}'). Its port is for proxy_pass; give the FastCGI endpoint of " +
                "the application."
                : $"the peer answers with bytes that are no FastCGI record ('{text}'). Correct the endpoint, or " +
                "write scgi:// in front of it for SCGI.");
    }
}
