namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>macOS has bash 3.2, so the scripts use nothing that is younger.</summary>
public partial class ScriptTests
{
    [Theory]
    [InlineData("tests/run")]
    [InlineData("tests/long")]
    [InlineData("tests/install")]
    [InlineData("samples/serve")]
    [InlineData("src/pack")]
    [InlineData("docs/site")]
    [InlineData(".ci/run")]
    public void A_script_runs_under_bash_3_2(string script) => Rule.Holds(
        File.ReadLines(Path.Combine(Source.Root, script)).Index()
            .Where(static line => !line.Item.TrimStart().StartsWith('#') && Younger().IsMatch(line.Item))
            .Select(line => $"{script}, line {line.Index + 1}: {line.Item.Trim()}"));

    [Theory]
    [InlineData("mapfile -t lines < file")]
    [InlineData("wait -n \"$first\"")]
    [InlineData("declare -A map")]
    [InlineData("local -n other=$1")]
    [InlineData("echo ${name,,}")]
    [InlineData("make &>> log")]
    [InlineData("local -a empty=()")]
    [InlineData("[[ $line =~ ^(a|b)$ ]]")]
    public void Younger_syntax_is_found(string line) => Assert.Matches(Younger(), line);

    /// <summary>
    /// An empty array counts as unset, and a pattern with parentheses has to stand in a variable. Arrays that get an
    /// element before they are read may begin empty outside of functions.
    /// </summary>
    [GeneratedRegex(
        @"\b(mapfile|readarray|coproc)\b|\bwait -n|\b(declare|local|typeset) -[a-zA-Z]*[An]"
        + @"|\$\{\w+(\^|,)|&>>|\|&|\blocal -a \w+=\(\)|=~ [^$""']*\(")]
    private static partial Regex Younger();
}
