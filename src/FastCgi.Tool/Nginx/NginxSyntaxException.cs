namespace FastCgi.Tool.Nginx;

/// <summary>Ends the reading of a configuration, because the following text has no clear meaning.</summary>
internal sealed class NginxSyntaxException(NginxError error) : Exception(error.Message)
{
    public NginxError Error { get; } = error;
}
