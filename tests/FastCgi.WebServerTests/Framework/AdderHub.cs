using Microsoft.AspNetCore.SignalR;

namespace FastCgi.WebServerTests.Framework;

/// <summary>A hub that answers, and that calls the client.</summary>
internal sealed class AdderHub : Hub
{
    public int Add(int left, int right) => left + right;

    public async Task Announce(string text) => await Clients.All.SendAsync("announced", text);
}
