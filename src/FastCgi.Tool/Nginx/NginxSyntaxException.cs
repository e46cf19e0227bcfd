namespace FastCgi.Tool.Nginx;

/// <summary>A configuration that nginx would refuse to read.</summary>
internal sealed class NginxSyntaxException(NginxPlace place, string message) : Exception(message)
{
    public NginxPlace Place { get; } = place;
}
