namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>Params as a web server sends them: in one buffer, as Latin-1, so that a character is a byte.</summary>
internal static class ParamSet
{
    public static readonly (string Name, string Value)[] Minimal = [("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/")];

    public static CgiRequest Load(params (string Name, string Value)[] @params) =>
        Load(new FastCgiServerOptions(), @params);

    public static CgiRequest Load(FastCgiServerOptions options, params (string Name, string Value)[] @params)
    {
        var request = new CgiRequest(options);
        Fill(request.Params, @params);
        Assert.Null(request.Load() ?? request.CheckEncodings());
        return request;
    }

    /// <summary>A request that is in order but for these params, which come last and so overrule the others.</summary>
    public static CgiRequest With(params (string Name, string Value)[] @params) => Load([.. Minimal, .. @params]);

    public static CgiRejection? Rejection(params (string Name, string Value)[] @params) =>
        Rejection(new FastCgiServerOptions(), @params);

    public static CgiRejection? Rejection(FastCgiServerOptions options, params (string Name, string Value)[] @params)
    {
        var request = new CgiRequest(options);
        Fill(request.Params, [.. Minimal, .. @params]);
        return request.Load() ?? request.CheckEncodings();
    }

    public static CgiParams Of(params (string Name, string Value)[] @params)
    {
        var set = new CgiParams();
        Fill(set, @params);
        return set;
    }

    public static void Fill(CgiParams target, params (string Name, string Value)[] @params) =>
        Encode(@params).AddTo(target);

    public static EncodedParams Encode(params (string Name, string Value)[] @params) =>
        new([.. Located(@params).Select(param =>
            (Encoding.Latin1.GetBytes(param.Name), Encoding.Latin1.GetBytes(param.Value)))]);

    /// <summary>Text as the bytes of its UTF-8, for values of <see cref="ParamSet"/>.</summary>
    public static string Utf8(string text) => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(text));

    /// <summary>The next request of the same object, in order but for these params.</summary>
    public static void LoadNext(CgiRequest request, params (string Name, string Value)[] @params)
    {
        request.Reset();
        Fill(request.Params, [.. Minimal, .. @params]);
        Assert.Null(request.Load());
    }

    /// <summary>
    /// The params with a DOCUMENT_URI, as a web server without a redirect sends it, where the test says nothing of the
    /// params that tell of redirects.
    /// </summary>
    private static (string Name, string Value)[] Located((string Name, string Value)[] @params)
    {
        var target = @params.LastOrDefault(param => param is { Name: "REQUEST_URI" or "UNENCODED_URL" }).Value ?? "";
        if (target.Length == 0 || @params.Any(param => param.Name is "DOCUMENT_URI" or "SCRIPT_NAME" or "PATH_INFO"))
        {
            return @params;
        }

        var scheme = target[0] == '/' ? -1 : target.IndexOf("://", StringComparison.Ordinal);
        var start = scheme < 0 ? 0 : target.IndexOfAny(['/', '?', '#'], scheme + 3);
        var path = start < 0 ? "" : target[start..].Split('?', '#')[0];
        var bytes = Regex.Replace(
            path, "%([0-9A-Fa-f]{2})", match => $"{(char)Convert.ToByte(match.Groups[1].Value, 16)}");
        return [.. @params, ("DOCUMENT_URI", bytes.Length == 0 ? "/" : bytes)];
    }
}

/// <summary>Params in one buffer, with bytes around each that would be noticed if they were read.</summary>
internal sealed class EncodedParams
{
    private readonly byte[] _buffer;
    private readonly (int NameOffset, int NameLength, int ValueOffset, int ValueLength)[] _places;

    public EncodedParams((byte[] Name, byte[] Value)[] @params)
    {
        List<byte> buffer = [0xFF];
        _places = new (int, int, int, int)[@params.Length];
        for (var i = 0; i < @params.Length; i++)
        {
            var (name, value) = @params[i];
            _places[i] = (buffer.Count, name.Length, buffer.Count + name.Length + 1, value.Length);
            buffer.AddRange(name);
            buffer.Add(0xFF);
            buffer.AddRange(value);
            buffer.Add(0xFF);
        }

        _buffer = [.. buffer];
    }

    /// <param name="upTo">The first of them that does not come; null for all.</param>
    public void AddTo(CgiParams target, int from = 0, int? upTo = null)
    {
        target.SetBuffer(_buffer);
        var places = _places.AsSpan()[from..(upTo ?? _places.Length)];
        foreach (var (nameOffset, nameLength, valueOffset, valueLength) in places)
        {
            target.Add(nameOffset, nameLength, valueOffset, valueLength);
        }
    }
}

/// <summary>The headers of a request, as its features make them.</summary>
internal static class CgiRequestHeaders
{
    extension(CgiRequest request)
    {
        internal RequestHeaderDictionary Headers => new(new CgiRequestLease(request));
    }
}
