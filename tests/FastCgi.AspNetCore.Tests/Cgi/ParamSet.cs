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
