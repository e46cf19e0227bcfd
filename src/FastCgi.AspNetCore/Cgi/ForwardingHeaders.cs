namespace FastCgi.AspNetCore.Cgi;

/// <summary>
/// Headers by which a proxy speaks for a client: <c>Forwarded</c>, <c>X-Forwarded-*</c>, <c>X-Real-IP</c> and
/// <c>X-Original-*</c>. FastCGI does not need them, and web servers pass the client's own on.
/// </summary>
internal static class ForwardingHeaders
{
    private const string Prefix = "X-Forwarded";
    private const string OriginalPrefix = "X-Original-";

    /// <param name="param">The param, or <see cref="KnownParam.None"/>.</param>
    /// <param name="cgiName">The name of the param, without <c>HTTP_</c>.</param>
    public static bool Contains(KnownParam param, ReadOnlySpan<byte> cgiName) => param == KnownParam.None
        ? cgiName.Length >= "FORWARDED".Length && Contains(cgiName)
        : param is >= KnownParam.HttpForwarded and <= KnownParam.HttpXForwardedPrefix;

    private static bool Contains(ReadOnlySpan<byte> cgiName) =>
        HeaderNameText.Matches("Forwarded", cgiName)
        || HeaderNameText.Matches("X-Real-IP", cgiName)
        || (StartsWith(cgiName, Prefix)
            && (cgiName.Length == Prefix.Length || cgiName[Prefix.Length] is (byte)'_' or (byte)'-'))
        || StartsWith(cgiName, OriginalPrefix);

    private static bool StartsWith(ReadOnlySpan<byte> cgiName, string prefix) =>
        cgiName.Length >= prefix.Length && HeaderNameText.Matches(prefix, cgiName[..prefix.Length]);
}
