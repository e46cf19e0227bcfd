namespace FastCgi.AspNetCore.Cgi;

internal sealed partial class CgiParams
{
    private const string ForwardedPrefix = "X-Forwarded";
    private const string OriginalPrefix = "X-Original-";

    /// <summary>
    /// A header by which a proxy speaks for a client: <c>Forwarded</c>, <c>X-Forwarded-*</c>, <c>X-Real-IP</c> and
    /// <c>X-Original-*</c>. FastCGI does not need them, and web servers pass the client's own on.
    /// </summary>
    /// <param name="param">The param, or <see cref="KnownParam.None"/>.</param>
    /// <param name="cgiName">The name of the param, without <c>HTTP_</c>.</param>
    private static bool IsForwardingHeader(KnownParam param, ReadOnlySpan<byte> cgiName) => param == KnownParam.None
        ? cgiName.Length >= "FORWARDED".Length && IsForwardingHeader(cgiName)
        : param is >= KnownParam.HttpForwarded and <= KnownParam.HttpXForwardedPrefix;

    private static bool IsForwardingHeader(ReadOnlySpan<byte> cgiName) =>
        HeaderNameText.Matches("Forwarded", cgiName)
        || HeaderNameText.Matches("X-Real-IP", cgiName)
        || (StartsWith(cgiName, ForwardedPrefix)
            && (cgiName.Length == ForwardedPrefix.Length
                || cgiName[ForwardedPrefix.Length] is (byte)'_' or (byte)'-'))
        || StartsWith(cgiName, OriginalPrefix);

    private static bool StartsWith(ReadOnlySpan<byte> cgiName, string prefix) =>
        cgiName.Length >= prefix.Length && HeaderNameText.Matches(prefix, cgiName[..prefix.Length]);
}
