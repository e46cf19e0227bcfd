using Microsoft.AspNetCore.SignalR;

namespace FastCgi.InstanceApp;

/// <summary>Tells a client which instance holds its connection.</summary>
internal sealed class InstanceHub(IConfiguration configuration) : Hub
{
    public string Instance() => configuration["Instance"]!;
}
