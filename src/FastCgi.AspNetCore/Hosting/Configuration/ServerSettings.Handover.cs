using Microsoft.Extensions.Configuration;

namespace FastCgi.AspNetCore.Hosting.Configuration;

// The section FileHandover of an endpoint: XAccelRedirect with a section, of any name, for each directory, XSendfile
// with a list of directories, and RelayedHeaders.
internal sealed partial class ServerSettings
{
    private const string XAccelRedirect = "XAccelRedirect";
    private const string Directory = "Directory";
    private const string UriPrefix = "UriPrefix";

    private static readonly SettingTable<FastCgiFileHandoverOptions> s_handover = new(
        (nameof(FastCgiFileHandoverOptions.RelayedHeaders),
            static (handover, value) => handover.RelayedHeaders.UnionWith(value.List())),
        (XAccelRedirect, static (_, value) => value.Section()),
        ("XSendfile", static (handover, value) => AddDirectories(handover, value)));

    private static readonly SettingTable<Dictionary<string, string?>> s_directory = new(
        (Directory, static (folder, value) => folder[Directory] = value.TextOrNone()),
        (UriPrefix, static (folder, value) => folder[UriPrefix] = value.TextOrNone()));

    private static void ApplyHandover(
        IConfiguration section, FastCgiFileHandoverOptions handover, ICollection<UnknownKey> unknown)
    {
        s_handover.Apply(section, handover, unknown);
        foreach (IConfigurationSection child in section.GetSection(XAccelRedirect).GetChildren())
        {
            var folder = new Dictionary<string, string?>();
            s_directory.Apply(child, folder, unknown);
            string directory = folder.GetValueOrDefault(Directory)
                ?? throw Missing(child, Directory, "an absolute path");
            string prefix = folder.GetValueOrDefault(UriPrefix)
                ?? throw Missing(child, UriPrefix, "a prefix like /_files/");
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
