namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>The cycles of a graph: its strongly connected components of more than one node (Tarjan).</summary>
internal sealed class Components
{
    private readonly IReadOnlyDictionary<string, HashSet<string>> _edges;
    private readonly Dictionary<string, int> _index = [];
    private readonly Dictionary<string, int> _lowest = [];
    private readonly Stack<string> _path = [];
    private readonly HashSet<string> _onPath = [];
    private readonly List<string[]> _cycles = [];

    private Components(IReadOnlyDictionary<string, HashSet<string>> edges) => _edges = edges;

    public static IReadOnlyList<string[]> Cycles(IReadOnlyDictionary<string, HashSet<string>> edges)
    {
        var components = new Components(edges);
        foreach (var node in edges.Keys.Order(StringComparer.Ordinal))
        {
            if (!components._index.ContainsKey(node))
            {
                components.Visit(node);
            }
        }

        return components._cycles;
    }

    private void Visit(string node)
    {
        _index[node] = _lowest[node] = _index.Count;
        _path.Push(node);
        _onPath.Add(node);
        foreach (var next in _edges.GetValueOrDefault(node, []))
        {
            if (!_index.TryGetValue(next, out var index))
            {
                Visit(next);
                _lowest[node] = Math.Min(_lowest[node], _lowest[next]);
            }
            else if (_onPath.Contains(next))
            {
                _lowest[node] = Math.Min(_lowest[node], index);
            }
        }

        if (_lowest[node] == _index[node])
        {
            Close(node);
        }
    }

    private void Close(string root)
    {
        var component = new List<string>();
        string node;
        do
        {
            node = _path.Pop();
            _onPath.Remove(node);
            component.Add(node);
        }
        while (node != root);

        if (component.Count > 1)
        {
            _cycles.Add([.. component.Order(StringComparer.Ordinal)]);
        }
    }
}
