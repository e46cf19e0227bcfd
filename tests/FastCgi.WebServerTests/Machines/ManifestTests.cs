using System.Text.Json.Nodes;
using YamlDotNet.Serialization;
using static FastCgi.WebServerTests.Machines.Manifests;

namespace FastCgi.WebServerTests.Machines;

/// <summary>What Kubernetes would see in the manifests of docs/kubernetes, as far as a reader of YAML can judge it.</summary>
public sealed class ManifestTests
{
    private const string Nginx = "nginx.yaml";
    private const string Haproxy = "haproxy-ingress.yaml";

    [Theory, InlineData(Nginx), InlineData(Haproxy)]
    public void Containers_have_no_rights_and_write_to_volumes_alone(string file)
    {
        var manifests = new Manifests(file);
        Assert.Equal("true", Text(manifests.PodSpec["securityContext"]!["runAsNonRoot"]));
        Assert.Equal("false", Text(manifests.PodSpec["automountServiceAccountToken"]));
        foreach (var container in manifests.Containers)
        {
            var context = container["securityContext"]!;
            Assert.Equal("true", Text(context["readOnlyRootFilesystem"]));
            Assert.Equal("false", Text(context["allowPrivilegeEscalation"]));
            Assert.Equal("ALL", Text(Assert.Single(context["capabilities"]!["drop"]!.AsArray())));
            Assert.True(int.Parse(Text(context["runAsUser"])!, null) > 0);
            Assert.NotNull(container["resources"]!["limits"]!["memory"]);
            Assert.DoesNotContain("latest", Text(container["image"]), StringComparison.Ordinal);
            Assert.Contains(':', Text(container["image"])!);
        }
    }

    [Theory, InlineData(Nginx), InlineData(Haproxy)]
    public void Every_name_leads_to_something(string file)
    {
        var manifests = new Manifests(file);
        var volumes = manifests.PodSpec["volumes"]!.AsArray().Select(static volume => Text(volume!["name"])).ToArray();
        var mounted = manifests.Containers.SelectMany(static container => container["volumeMounts"]!.AsArray())
            .Select(static mount => Text(mount!["name"])).ToHashSet();
        Assert.Equal(volumes.Order(), mounted.Order());

        var labels = manifests.PodTemplate["metadata"]!["labels"]!;
        var service = manifests.One("Service");
        Assert.True(JsonNode.DeepEquals(labels, service["spec"]!["selector"]));
        Assert.True(JsonNode.DeepEquals(labels, manifests.One("Deployment")["spec"]!["selector"]!["matchLabels"]));
        var ports = manifests.Containers.SelectMany(static container => container["ports"]?.AsArray() ?? [])
            .Select(static port => Text(port!["name"])).ToArray();
        var numbers = manifests.Containers.SelectMany(static container => container["ports"]?.AsArray() ?? [])
            .Select(static port => Text(port!["containerPort"])).ToArray();
        Assert.All(service["spec"]!["ports"]!.AsArray(), port => Assert.Contains(Text(port!["targetPort"]), ports));
        foreach (var container in manifests.Containers)
        {
            var probes = Probes(container).ToArray();
            Assert.NotEmpty(probes);
            foreach (var place in probes.Where(static probe => probe["exec"] is null)
                .Select(static probe => probe["httpGet"] ?? probe["tcpSocket"]!))
            {
                var port = Text(place["port"]);
                Assert.True(ports.Contains(port) || numbers.Contains(port), $"No container has the port '{port}'.");
            }
        }
    }

    [Theory, InlineData(Nginx), InlineData(Haproxy)]
    public void An_update_stops_a_pod_only_when_another_is_ready_and_nothing_is_sent_to_it(string file)
    {
        var manifests = new Manifests(file);
        Assert.Equal("0", Text(manifests.One("Deployment")["spec"]!["strategy"]!["rollingUpdate"]!["maxUnavailable"]));
        var pauses = manifests.Containers.ToDictionary(
            static container => Text(container["name"])!,
            static container => int.Parse(Text(container["lifecycle"]!["preStop"]!["sleep"]!["seconds"])!, null));
        Assert.Equal(file == Nginx ? ["app", "nginx"] : ["app"], pauses.Keys.Order());
        Assert.True(pauses["app"] > pauses.GetValueOrDefault("nginx"), "The application must outlive nginx.");

        // 30 seconds is the host's own limit for a stop.
        Assert.True(int.Parse(Text(manifests.PodSpec["terminationGracePeriodSeconds"])!, null) > pauses["app"] + 30);
    }

    /// <summary>HAProxy itself reads what the controller would put into its file.</summary>
    [Fact]
    public async Task HAProxy_takes_the_snippets()
    {
        var manifests = new Manifests(Haproxy);
        var annotations = manifests.One("Service")["metadata"]!["annotations"]!;
        string Annotation(string name) => Text(annotations[$"haproxy-ingress.github.io/{name}"])!;
        Assert.Equal("fcgi", Annotation("backend-protocol"));
        var sections = Text(manifests.One("ConfigMap")["data"]!["config-sections"])!;
        Assert.Contains($"fcgi-app {Annotation("fcgi-app")}\n", sections, StringComparison.Ordinal);

        using var directory = new WorkDirectory();
        var file = directory.File("haproxy.cfg");
        await File.WriteAllTextAsync(file, $"""
            defaults
                mode http
                timeout client 1m
                timeout connect {Annotation("timeout-connect")}
                timeout server {Annotation("timeout-server")}
            {sections}
            frontend web
                bind 127.0.0.1:80
                default_backend app
            backend app
                use-fcgi-app {Annotation("fcgi-app")}
                {Annotation("config-backend").Replace("\n", "\n    ", StringComparison.Ordinal)}
                server pod 10.0.0.11:9000 proto fcgi check inter 2s

            """);
        var judgement = await ChildProcess.SucceedAsync(
            InstalledProgram.Find("haproxy"), ["-c", "-f", file], directory.Path);
        Assert.DoesNotContain("WARNING", judgement.ToString(), StringComparison.Ordinal);
    }

    private static IEnumerable<JsonNode> Probes(JsonNode container) =>
        new[] { "startupProbe", "readinessProbe", "livenessProbe" }.Select(name => container[name]).OfType<JsonNode>();
}

/// <summary>The objects of a file in docs/kubernetes.</summary>
internal sealed class Manifests
{
    private readonly List<JsonNode> _objects = [];

    public Manifests(string file)
    {
        var deserializer = new DeserializerBuilder().WithAttemptingUnquotedStringTypeDeserialization().Build();
        var json = new SerializerBuilder().JsonCompatible().Build();
        foreach (var document in File.ReadAllText(Path.Combine(Directory, file)).Split("\n---\n"))
        {
            _objects.Add(JsonNode.Parse(json.Serialize(deserializer.Deserialize(document)))!);
        }
    }

    public static string Directory { get; } = Path.Combine(Repository.Root, "docs", "kubernetes");

    public IReadOnlyList<JsonNode> Objects => _objects;

    public JsonNode PodTemplate => One("Deployment")["spec"]!["template"]!;

    public JsonNode PodSpec => PodTemplate["spec"]!;

    public IEnumerable<JsonNode> Containers => PodSpec["containers"]!.AsArray()!;

    public JsonNode One(string kind) => Assert.Single(_objects, item => Text(item["kind"]) == kind);

    public JsonNode Container(string name) => Assert.Single(Containers, item => Text(item["name"]) == name);

    public static string? Text(JsonNode? node) => node?.ToString();
}
