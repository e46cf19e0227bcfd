namespace FastCgi.Tool.Configuration;

/// <summary>
/// A tested configuration file, changed as its comments say. A line that begins with # and no space is a setting that
/// is switched off. The finished text contains no such lines and no comments about them.
/// </summary>
internal sealed class ConfigurationTemplate
{
    private const string Legend = "A line that begins with # and no space is a setting that is switched off.";

    private readonly string _name;
    private readonly List<string> _lines;

    private ConfigurationTemplate(string name, IEnumerable<string> lines)
    {
        _name = name;
        _lines = [.. lines];
    }

    /// <param name="name">The file's name in samples/web-servers or docs/systemd.</param>
    public static ConfigurationTemplate Read(string name)
    {
        using Stream stream = typeof(ConfigurationTemplate).Assembly.GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The tool has no file '{name}'.");
        using var reader = new StreamReader(stream);
        return new ConfigurationTemplate(name, reader.ReadToEnd().TrimEnd().ReplaceLineEndings("\n").Split('\n'));
    }

    /// <summary>Replaces a text everywhere outside of comments.</summary>
    public ConfigurationTemplate Replace(string documented, string actual)
    {
        bool found = false;
        for (int i = 0; i < _lines.Count; i++)
        {
            if (!IsComment(_lines[i]) && _lines[i].Contains(documented, StringComparison.Ordinal))
            {
                _lines[i] = _lines[i].Replace(documented, actual, StringComparison.Ordinal);
                found = true;
            }
        }

        return found ? this : throw Changed(documented);
    }

    /// <summary>Replaces the address of the application.</summary>
    public ConfigurationTemplate ReplaceEndpoint(DeploymentSettings settings) => settings.IsTcp
        ? Replace(DeploymentSettings.DocumentedTcp, settings.TcpAddress)
        : Replace(DeploymentSettings.DocumentedSocket, settings.Endpoint.SocketPath!);

    /// <summary>Replaces the files of the certificate and of its key.</summary>
    public ConfigurationTemplate ReplaceCertificate(DeploymentSettings settings) =>
        Replace(DeploymentSettings.DocumentedCertificate, settings.Certificate!)
            .Replace(DeploymentSettings.DocumentedKey, settings.Key!);

    /// <summary>Replaces a text in comments.</summary>
    public ConfigurationTemplate ReplaceInComments(string documented, string actual)
    {
        int found = _lines.FindIndex(line => IsComment(line) && line.Contains(documented, StringComparison.Ordinal));
        _lines[found < 0 ? throw Changed(documented) : found] =
            _lines[found].Replace(documented, actual, StringComparison.Ordinal);
        return this;
    }

    /// <summary>Replaces the comment at the top of the file.</summary>
    public ConfigurationTemplate ReplaceHead(params IEnumerable<string> lines)
    {
        int end = _lines.FindIndex(static line => !IsComment(line));
        _lines.RemoveRange(0, end);
        _lines.InsertRange(0, lines.Select(static line => $"# {line}"));
        return this;
    }

    /// <summary>Switches on the line that begins with <paramref name="setting"/>.</summary>
    public ConfigurationTemplate Enable(string setting)
    {
        Uncomment(Find($"#{setting}"));
        return this;
    }

    /// <summary>
    /// Switches on all settings from the line that begins with one text to the line that begins with the other.
    /// </summary>
    public ConfigurationTemplate Enable(string first, string last)
    {
        int start = Find($"#{first}");
        int end = _lines.FindIndex(start, line => line.TrimStart().StartsWith($"#{last}", StringComparison.Ordinal));
        for (int i = start; i <= (end < 0 ? throw Changed(last) : end); i++)
        {
            if (IsSwitchedOff(_lines[i]))
            {
                Uncomment(i);
            }
        }

        return this;
    }

    /// <summary>Removes the line that begins with <paramref name="setting"/>.</summary>
    public ConfigurationTemplate Remove(string setting)
    {
        int i = Find(setting);
        _lines[i] = $"#{_lines[i].TrimStart()}";
        return this;
    }

    /// <summary>Adds a line below the one that begins with <paramref name="setting"/>, with its indentation.</summary>
    public ConfigurationTemplate AddBelow(string setting, string line)
    {
        int i = Find(setting);
        string indentation = _lines[i][..(_lines[i].Length - _lines[i].TrimStart().Length)];
        _lines.Insert(i + 1, indentation + line);
        return this;
    }

    /// <summary>Adds a comment above the line that begins with <paramref name="setting"/>.</summary>
    public ConfigurationTemplate AddComment(string setting, string text)
    {
        _lines.Insert(Find(setting), $"# {text}");
        return this;
    }

    public override string ToString()
    {
        List<string> kept = [];
        bool isNeeded = true;
        foreach (string line in Enumerable.Reverse(_lines))
        {
            // A comment belongs to the lines below it.
            isNeeded = line.Trim().Length == 0
                || (IsComment(line) && !IsSwitchedOff(line) ? isNeeded : !IsSwitchedOff(line));
            if (isNeeded)
            {
                kept.Add(line);
            }
        }

        kept.Reverse();
        string text = string.Join('\n', kept)
            .Replace($" {Legend}", "", StringComparison.Ordinal)
            .Replace("\n# " + Legend, "", StringComparison.Ordinal)
            .Replace("\n\n}", "\n}", StringComparison.Ordinal);
        while (text.Contains("\n\n\n", StringComparison.Ordinal))
        {
            text = text.Replace("\n\n\n", "\n\n", StringComparison.Ordinal);
        }

        return text + "\n";
    }

    private int Find(string beginning)
    {
        int found = _lines.FindIndex(line => line.TrimStart().StartsWith(beginning, StringComparison.Ordinal));
        return found < 0 ? throw Changed(beginning) : found;
    }

    private void Uncomment(int i) =>
        _lines[i] = _lines[i].Remove(_lines[i].IndexOf('#', StringComparison.Ordinal), 1);

    private static bool IsComment(string line) => line.TrimStart().StartsWith('#');

    /// <summary>In an inner block, a setting that is switched off has a # and two spaces or more, or a tab.</summary>
    private static bool IsSwitchedOff(string line) =>
        line.TrimStart() is ['#', not ' ', ..] or ['#', ' ', ' ', ..];

    private InvalidOperationException Changed(string text) => new($"The file {_name} has no line with '{text}'.");
}
