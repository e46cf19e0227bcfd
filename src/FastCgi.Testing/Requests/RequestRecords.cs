using System.Buffers;
using System.Globalization;
using System.Text;
using FastCgi.Protocol;

namespace FastCgi.Testing.Requests;

/// <summary>The records of one request, as a web server sends them.</summary>
internal static class RequestRecords
{
    /// <summary>Web servers that do not multiplex always use this id.</summary>
    public const ushort RequestId = 1;

    /// <summary>BEGIN_REQUEST and the whole Params stream.</summary>
    public static byte[] Head(FastCgiTestRequest request, FastCgiTestClientOptions options)
    {
        var output = new ArrayBufferWriter<byte>();
        output.Advance(RecordWriter.WriteBeginRequest(
            output.GetSpan(RecordWriter.BeginRequestRecordSize),
            RequestId,
            new BeginRequestBody(
                request.Role, request.KeepConnection ? BeginRequestFlags.KeepConnection : BeginRequestFlags.None)));
        var content = new ArrayBufferWriter<byte>();
        foreach ((string name, string? value) in Parameters(request, options))
        {
            if (value is not null)
            {
                NameValuePairWriter.Write(content, Encoding.UTF8.GetBytes(name), Encoding.UTF8.GetBytes(value));
            }
        }

        RecordWriter.WriteContent(output, RecordType.Params, RequestId, content.WrittenSpan);
        WriteEnd(output, RecordType.Params);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>STDIN records with <paramref name="content"/>; none if it is empty.</summary>
    public static byte[] Body(ReadOnlySpan<byte> content)
    {
        var output = new ArrayBufferWriter<byte>();
        RecordWriter.WriteContent(output, RecordType.Stdin, RequestId, content);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>The empty STDIN record.</summary>
    public static byte[] EndOfBody()
    {
        var output = new ArrayBufferWriter<byte>();
        WriteEnd(output, RecordType.Stdin);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>ABORT_REQUEST (FastCGI 1.0, section 5.4).</summary>
    public static byte[] Abort()
    {
        byte[] record = new byte[FastCgiConstants.HeaderSize];
        new RecordHeader(RecordType.AbortRequest, RequestId, contentLength: 0).Write(record);
        return record;
    }

    /// <summary>The path after the segments of <paramref name="pathBase"/>, or all of it if elsewhere.</summary>
    private static string PathBelow(string pathBase, string path) =>
        path.StartsWith(pathBase, StringComparison.Ordinal) && path.AsSpan(pathBase.Length) is [] or ['/', ..]
            ? path[pathBase.Length..]
            : path;

    private static Dictionary<string, string?> Parameters(FastCgiTestRequest request, FastCgiTestClientOptions options)
    {
        Uri uri = options.BaseAddress;
        int question = request.Target.IndexOf('?', StringComparison.Ordinal);
        string path = Uri.UnescapeDataString(question < 0 ? request.Target : request.Target[..question]);
        string pathBase = options.PathBase.Value ?? "";
        var parameters = new Dictionary<string, string?>(StringComparer.Ordinal)
        {
            ["GATEWAY_INTERFACE"] = "CGI/1.1",
            ["SERVER_SOFTWARE"] = "FastCgi.Testing",
            ["SERVER_PROTOCOL"] = "HTTP/1.1",
            ["SERVER_NAME"] = uri.Host,
            ["SERVER_PORT"] = uri.Port.ToString(CultureInfo.InvariantCulture),
            ["HTTP_HOST"] = uri.Authority,
            ["REQUEST_SCHEME"] = uri.Scheme,
            ["HTTPS"] = uri.Scheme == Uri.UriSchemeHttps ? "on" : null,
            ["REQUEST_METHOD"] = request.Method,
            ["REQUEST_URI"] = request.Target,
            ["QUERY_STRING"] = question < 0 ? "" : request.Target[(question + 1)..],
            ["DOCUMENT_URI"] = path,
            ["SCRIPT_NAME"] = pathBase,
            ["PATH_INFO"] = PathBelow(pathBase, path),
            ["REMOTE_ADDR"] = options.RemoteAddress.ToString(),
            ["REMOTE_PORT"] = options.RemotePort?.ToString(CultureInfo.InvariantCulture),
            ["CONTENT_TYPE"] = request.ContentType,
            ["CONTENT_LENGTH"] = (request.ContentLength ?? LengthOf(request))?.ToString(CultureInfo.InvariantCulture),
        };
        foreach ((string name, string value) in request.Headers)
        {
            parameters["HTTP_" + name.ToUpperInvariant().Replace('-', '_')] = value;
        }

        foreach ((string name, string? value) in ClientFacts.Parameters(options).Concat(request.Parameters))
        {
            parameters[name] = value;
        }

        return parameters;
    }

    private static long? LengthOf(FastCgiTestRequest request) =>
        !request.Body.IsEmpty || request.Method is "POST" or "PUT" or "PATCH"
            ? request.Body.Length
            : null;

    private static void WriteEnd(ArrayBufferWriter<byte> output, RecordType type) => output.Advance(
        RecordWriter.WriteEndOfStream(output.GetSpan(RecordWriter.EndOfStreamRecordSize), type, RequestId));
}
