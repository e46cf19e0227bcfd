namespace FastCgi.Tool.Nginx;

/// <summary>
/// A block with those around it. nginx inherits a directive from the nearest block that has it. If a directive may be
/// repeated, such as fastcgi_param, one in a block cancels all of those in the blocks around.
/// </summary>
internal sealed class NginxScope(NginxDirective block, NginxScope? outer)
{
    public NginxDirective Block { get; } = block;

    public NginxScope? Outer { get; } = outer;

    /// <summary>This block and those around it, the nearest first.</summary>
    public IEnumerable<NginxScope> Chain
    {
        get
        {
            for (NginxScope? scope = this; scope is not null; scope = scope.Outer)
            {
                yield return scope;
            }
        }
    }

    public NginxScope Root => Outer?.Root ?? this;

    /// <summary>True if a missing or unreadable file may add directives to this block.</summary>
    public bool IsIncomplete => Chain.Any(static scope => scope.Block.All("include").Any());

    /// <summary>The directive in force; null if there is none.</summary>
    public NginxDirective? Find(string name) => FindAll(name) is [.., var last] ? last : null;

    /// <summary>The directives in force, all from one block.</summary>
    public IReadOnlyList<NginxDirective> FindAll(string name)
    {
        foreach (NginxScope scope in Chain)
        {
            if (scope.Block.All(name) is var found && found.Any())
            {
                return [.. found];
            }
        }

        return [];
    }

    public bool IsOn(string name) => Find(name)?.Argument(0) == "on";

    /// <summary>The nearest surrounding block with the name, or null.</summary>
    public NginxScope? Enclosing(string block) => Chain.FirstOrDefault(scope => scope.Block.Name == block);

    /// <summary>A size such as 32k, 1m or 4096; null if invalid.</summary>
    public static long? ParseSize(string text)
    {
        long factor = text.Length == 0 ? 1 : char.ToLowerInvariant(text[^1]) switch
        {
            'k' => 1024,
            'm' => 1024 * 1024,
            'g' => 1024 * 1024 * 1024,
            _ => 1,
        };
        return long.TryParse(
            factor == 1 ? text : text[..^1], NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            ? number * factor
            : null;
    }
}
