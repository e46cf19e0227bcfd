namespace FastCgi.Tool.Nginx;

/// <summary>Ends the reading of a configuration: what follows could be anything.</summary>
internal sealed class NginxSyntaxException(NginxError error) : Exception(error.Message)
{
    public NginxError Error { get; } = error;
}
