using System.Text.RegularExpressions;

namespace FastCgi.Tool.Doctor;

/// <summary>Recognises the web server of a file, by lines that no other one has.</summary>
internal static partial class WebServerFile
{
    public const string Apache = "Apache";

    /// <summary>The name of the web server; null for nginx, or if unknown.</summary>
    public static string? Recognize(string text) =>
        ApacheLine().IsMatch(text) ? Apache
        : NginxLine().IsMatch(text) ? null
        : LighttpdLine().IsMatch(text) ? "lighttpd"
        : HaproxyLine().IsMatch(text) ? "HAProxy"
        : H2oLine().IsMatch(text) ? "h2o"
        : CaddyLine().IsMatch(text) ? "Caddy"
        : IisLine().IsMatch(text) ? "IIS"
        : null;

    /// <summary>The command that checks such a file, and the one that prints a working file.</summary>
    public static string Advice(string server) => server switch
    {
        "lighttpd" => "lighttpd -tt -f FILE checks it, and fcgi config lighttpd prints one that works.",
        "HAProxy" => "haproxy -c -f FILE checks it, and fcgi config haproxy prints one that works.",
        "h2o" => "h2o -t -c FILE checks it, and fcgi config h2o prints one that works.",
        "Caddy" => "caddy validate --adapter caddyfile --config FILE checks it, and fcgi config caddy prints one " +
            "that works.",
        _ => "docs/web-servers.md lists the web servers with files that work.",
    };

    [GeneratedRegex(
        @"^[ \t]*(?:</?(?:VirtualHost|Location|LocationMatch|Directory|DirectoryMatch|Files|FilesMatch)\b" +
        @"|</?(?:IfModule|IfDefine|Proxy)\b" +
        @"|(?:ProxyPass|ProxyPassMatch|SetHandler|LoadModule|DocumentRoot|ServerName|IncludeOptional)\s+[^;{]*$)",
        RegexOptions.Multiline | RegexOptions.IgnoreCase)]
    private static partial Regex ApacheLine();

    [GeneratedRegex(
        @"^[ \t]*(?:http|events|server|upstream\s+\S+|location\s[^{;]*)\s*\{" +
        @"|\b(?:fastcgi|scgi|proxy)_(?:pass|param)\s[^;]*;" +
        @"|^[ \t]*(?:include|listen|map|user)[ \t][^;{\r\n]*[;{]",
        RegexOptions.Multiline)]
    private static partial Regex NginxLine();

    [GeneratedRegex(
        @"^[ \t]*(?:server\.[a-z-]+|fastcgi\.server|scgi\.server)\s*\+?=|^[ \t]*\$HTTP\[", RegexOptions.Multiline)]
    private static partial Regex LighttpdLine();

    [GeneratedRegex(
        @"^(?:global|defaults|frontend\s+\S+|backend\s+\S+|listen\s+\S+|fcgi-app\s+\S+)\s*$",
        RegexOptions.Multiline)]
    private static partial Regex HaproxyLine();

    [GeneratedRegex(@"^[ \t]*""?(?:hosts|paths|fastcgi\.connect|fastcgi\.spawn)""?:", RegexOptions.Multiline)]
    private static partial Regex H2oLine();

    [GeneratedRegex(
        @"^[ \t]*(?:reverse_proxy|php_fastcgi|file_server|encode|handle|handle_path|transport\s+fastcgi)\b[^;]*$",
        RegexOptions.Multiline)]
    private static partial Regex CaddyLine();

    [GeneratedRegex(@"<system\.webServer>|<configuration>", RegexOptions.IgnoreCase)]
    private static partial Regex IisLine();
}
