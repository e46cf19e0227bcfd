namespace FastCgi.AspNetCore.Hosting;

/// <summary>The options of a connection, and the clients that may open one.</summary>
internal sealed record EndpointTerms(FastCgiListenOptions Options, ClientGate Gate)
{
    /// <summary>Whether a connection of these terms may go on under the others.</summary>
    public bool AllowsConnectionsOf(EndpointTerms before) =>
        Options.Protocol == before.Options.Protocol
        && Options.AllowUpgrade == before.Options.AllowUpgrade
        && Options.AllowedClients.SequenceEqual(before.Options.AllowedClients);

    /// <summary>Whether the file of a unix socket keeps its mode and its owner.</summary>
    public bool HasAccessOf(EndpointTerms before) =>
        Options.UnixMode == before.Options.UnixMode
        && Options.UnixOwner == before.Options.UnixOwner
        && Options.UnixGroup == before.Options.UnixGroup;
}
