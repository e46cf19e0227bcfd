using System.Text.Json.Nodes;
using YamlDotNet.Serialization;

namespace FastCgi.WebServerTests.Machines;

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
