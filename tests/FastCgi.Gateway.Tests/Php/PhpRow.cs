namespace FastCgi.Gateway.Tests.Php;

/// <summary>One request, and the keys that differ from nginx, each with its reason.</summary>
internal sealed record PhpRow(string Name, string Request, params (string Key, string Reason)[] Differences);
