namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>The section <c>FastCgi:Status</c>.</summary>
internal static class StatusSettings
{
    public static SettingTable<FastCgiStatusOptions> Table { get; } = new(
        (nameof(FastCgiStatusOptions.AllowedClients), static (status, value) => ReplaceAllowedClients(status, value)),
        (nameof(FastCgiStatusOptions.Endpoint), static (status, value) => status.Endpoint = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.Path), static (status, value) => status.Path = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.PingPath), static (status, value) => status.PingPath = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.UnixGroup), static (status, value) => status.UnixGroup = value.TextOrNone()),
        (nameof(FastCgiStatusOptions.UnixMode), static (status, value) => status.UnixMode = value.ModeOrNone()));

    private static void ReplaceAllowedClients(FastCgiStatusOptions status, Setting value)
    {
        status.AllowedClients.Clear();
        foreach (string client in value.List())
        {
            status.AllowedClients.Add(client);
        }
    }
}
