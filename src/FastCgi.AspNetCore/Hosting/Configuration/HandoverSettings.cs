using Microsoft.Extensions.Configuration;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// The section <c>FileHandover</c> of an endpoint: <c>XAccelRedirect</c> with a section, of any name, for each
/// directory, <c>XSendfile</c> with a list of directories, and <c>RelayedHeaders</c>.
/// </summary>
internal sealed class HandoverSettings
{
    public const string XAccelRedirect = "XAccelRedirect";

    private static readonly SettingTable<FastCgiFileHandoverOptions> s_table = new(
        (nameof(FastCgiFileHandoverOptions.RelayedHeaders),
            static (handover, value) => handover.RelayedHeaders.UnionWith(value.List())),
        (XAccelRedirect, static (_, value) => value.Section()),
        ("XSendfile", static (handover, value) => AddDirectories(handover, value)));

    private static readonly SettingTable<HandoverSettings> s_directory = new(
        (nameof(Directory), static (folder, value) => folder.Directory = value.TextOrNone()),
        (nameof(UriPrefix), static (folder, value) => folder.UriPrefix = value.TextOrNone()));

    private string? Directory { get; set; }

    private string? UriPrefix { get; set; }

    /// <exception cref="InvalidOperationException">A value is missing or cannot be used.</exception>
    public static void Apply(
        IConfiguration section, FastCgiFileHandoverOptions handover, ICollection<UnknownKey> unknown)
    {
        s_table.Apply(section, handover, unknown);
        foreach (IConfigurationSection child in section.GetSection(XAccelRedirect).GetChildren())
        {
            var folder = new HandoverSettings();
            s_directory.Apply(child, folder, unknown);
            string directory = folder.Directory ?? throw Missing(child, nameof(Directory), "an absolute path");
            string prefix = folder.UriPrefix ?? throw Missing(child, nameof(UriPrefix), "a prefix like /_files/");
            SettingTable<FastCgiFileHandoverOptions>.Apply(
                (to, _) => to.AddXAccelRedirect(directory, prefix), handover, new Setting(child));
        }
    }

    private static void AddDirectories(FastCgiFileHandoverOptions handover, Setting value)
    {
        foreach (string directory in value.List())
        {
            handover.AddXSendfile(directory);
        }
    }

    private static InvalidOperationException Missing(IConfigurationSection child, string name, string accepted) =>
        new Setting(child.GetSection(name)).Invalid(accepted);
}
