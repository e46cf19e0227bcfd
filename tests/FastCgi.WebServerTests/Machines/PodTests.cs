using System.Text.Json.Nodes;
using static FastCgi.WebServerTests.Machines.Manifests;

namespace FastCgi.WebServerTests.Machines;

/// <summary>
/// The pod of docs/kubernetes/nginx.yaml without a container: on a machine of the test network, each container with its
/// user, without capabilities, on a root that is read-only, and with the volumes of the manifest.
/// </summary>
public sealed class PodTests
{
    /// <summary>Debian's programs in the places of the images'. The output belongs to the user, as containers have it.</summary>
    private const string Script = """
        set -e
        IFS=' ' read -r uid gid group content program <<<"$0"
        mkdir -p /run/app && chgrp "$group" /run/app && chmod 2777 /run/app
        mount --bind "$program" /mnt
        [ "$content" = - ] || mount --bind "$content" /etc/nginx/nginx.conf
        mount -t tmpfs -o mode=1777 tmpfs /tmp
        chown "$uid" /dev/stdout /dev/stderr
        mount -o remount,bind,ro /
        cd /
        exec setpriv --reuid "$uid" --regid "$gid" --groups "$group" --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
        """;

    private static readonly Manifests _manifests = new("nginx.yaml");

    [Fact]
    public async Task The_pod_answers_its_probes_and_its_clients_and_ends()
    {
        var nginxProgram = InstalledProgram.Find("nginx");
        var curl = InstalledProgram.Find("curl");
        await using var network = await TestNetwork.StartAsync("pod");
        var machine = network.Machines[0];
        using var directory = new WorkDirectory();
        var file = directory.File("nginx.conf");
        await File.WriteAllTextAsync(file, Text(_manifests.One("ConfigMap")["data"]!["nginx.conf"]));

        await using var nginx = Run(machine, "nginx", file, nginxProgram, ["-e", "stderr", "-g", "daemon off;"]);
        await using var app = Run(machine, "app", "-", "dotnet",
            ["/mnt/FastCgi.InstanceApp.dll", "--Instance=pod", "--Orders=/tmp/orders"]);
        await app.WaitForStartAsync("the application", TimeSpan.FromMinutes(1));
        Assert.False(nginx.Ended.IsCompleted, nginx.Log.ToString());

        foreach (var container in _manifests.Containers)
        {
            foreach (var probe in new[] { "startupProbe", "readinessProbe", "livenessProbe" })
            {
                if (container[probe]?["httpGet"] is { } get)
                {
                    Assert.Equal("pong", (await GetAsync(network, curl, PortOf(get), Text(get["path"])!)).Trim());
                }
            }
        }

        Assert.Equal("pod", await GetAsync(network, curl, 8080, "/"));
        foreach (var scheme in new[] { "https", "http" })
        {
            Assert.Equal(
                $"{scheme} 203.0.113.9",
                await GetAsync(
                    network, curl, 8080, "/client",
                    "-H", $"X-Forwarded-Proto: {scheme}", "-H", "X-Forwarded-For: 203.0.113.9"));
        }

        await using var write = Run(machine, "app", "-", "touch", ["/etc/written"]);
        Assert.NotEqual(0, await write.WaitAsync("a file outside of the volumes"));

        // As the pauses of preStop have it: nginx first.
        Assert.Equal(0, await nginx.StopAsync());
        Assert.Equal(0, await app.StopAsync());
        Assert.DoesNotContain("warn:", app.Log.ToString(), StringComparison.Ordinal);
    }

    private static ChildProcess Run(
        TestMachine machine, string container, string content, string program, IEnumerable<string> arguments)
    {
        var settings = _manifests.Container(container);
        var context = settings["securityContext"]!;
        var group = Text(_manifests.PodSpec["securityContext"]!["fsGroup"]);
        var built = Path.GetDirectoryName(Repository.BuiltTestProgram("FastCgi.InstanceApp"));
        return machine.Start(
            "bash",
            ["-c", Script, $"{context["runAsUser"]} {context["runAsGroup"]} {group} {content} {built}", program, .. arguments],
            "/",
            Environment(settings));
    }

    /// <summary>A probe names a port of its own container, or has a number.</summary>
    private static int PortOf(JsonNode get)
    {
        var port = Text(get["port"])!;
        return int.TryParse(port, out var number) ? number : _manifests.Containers
            .SelectMany(static container => container["ports"]?.AsArray() ?? [])
            .Where(item => Text(item!["name"]) == port)
            .Select(static item => int.Parse(Text(item!["containerPort"])!, null)).Single();
    }

    /// <summary>
    /// The variables of the manifest that have a value; what a Secret holds is not there. TMPDIR of the tests is no
    /// folder of the pod.
    /// </summary>
    private static Dictionary<string, string> Environment(JsonNode container) =>
        (container["env"]?.AsArray() ?? []).Where(static variable => variable!["value"] is not null)
        .ToDictionary(static variable => Text(variable!["name"])!, static variable => Text(variable!["value"])!)
        .Append(new("TMPDIR", "")).ToDictionary();

    private static async Task<string> GetAsync(
        TestNetwork network, string curl, int port, string path, params string[] options)
    {
        var limit = Deadline.Of(TimeSpan.FromSeconds(20)).TotalSeconds.ToString("0", CultureInfo.InvariantCulture);
        await using var client = network.Start(
            "pod", curl, ["-sS", "--fail", "--max-time", limit, .. options, $"http://10.0.0.10:{port}{path}"], "/");
        Assert.True(await client.WaitAsync($"an answer to {path}") == 0, $"{path}: {client.Log}");
        return client.Log.ToString();
    }
}
