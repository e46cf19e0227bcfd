using System.Net.WebSockets;

namespace FastCgi.SampleTests.Chat;

/// <summary>The Chat sample, however it is served.</summary>
public interface IChatSite
{
    HttpClient Client { get; }

    /// <summary>Connects to the hub.</summary>
    Task<WebSocket> OpenAsync(CancellationToken cancellationToken);
}
