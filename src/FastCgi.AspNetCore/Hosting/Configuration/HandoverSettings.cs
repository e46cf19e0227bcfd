using Microsoft.Extensions.Configuration;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// The section <c>FastCgi:SendFilesByXAccelRedirect</c>: for each directory a section, of any name, with a
/// <c>Directory</c>, a <c>UriPrefix</c> and <c>RelayedHeaders</c>.
/// </summary>
internal sealed class HandoverSettings
{
    private static readonly SettingTable<HandoverSettings> s_table = new(
        (nameof(Directory), static (folder, value) => folder.Directory = value.TextOrNone()),
        (nameof(RelayedHeaders), static (folder, value) => folder.RelayedHeaders = [.. value.List()]),
        (nameof(UriPrefix), static (folder, value) => folder.UriPrefix = value.TextOrNone()));

    private string? Directory { get; set; }

    private string? UriPrefix { get; set; }

    private string[] RelayedHeaders { get; set; } = [];

    /// <exception cref="InvalidOperationException">A value is missing or cannot be used.</exception>
    public static void Apply(IConfiguration section, FastCgiServerOptions options, ICollection<UnknownKey> unknown)
    {
        foreach (IConfigurationSection child in section.GetChildren())
        {
            var folder = new HandoverSettings();
            s_table.Apply(child, folder, unknown);
            string directory = folder.Directory ?? throw Missing(child, nameof(Directory), "an absolute path");
            string prefix = folder.UriPrefix ?? throw Missing(child, nameof(UriPrefix), "a prefix like /_files/");
            SettingTable<FastCgiServerOptions>.Apply(
                (to, _) => to.SendFilesByXAccelRedirect(directory, prefix, folder.RelayedHeaders),
                options,
                new Setting(child));
        }
    }

    private static InvalidOperationException Missing(IConfigurationSection child, string name, string accepted) =>
        new Setting(child.GetSection(name)).Invalid(accepted);
}
