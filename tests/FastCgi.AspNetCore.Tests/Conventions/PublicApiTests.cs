using FastCgi.Client;
using FastCgi.Gateway;
using FastCgi.Testing;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>What users may call is a text file: who changes it, changes it knowingly.</summary>
public class PublicApiTests
{
    private const string Accept = "FASTCGI_ACCEPT_API";

    [Theory]
    [InlineData("FastCgi.AspNetCore")]
    [InlineData("FastCgi.Protocol")]
    [InlineData("FastCgi.Client")]
    [InlineData("FastCgi.Gateway")]
    [InlineData("FastCgi.Testing")]
    public void The_public_API_is_the_one_that_was_written_down(string package)
    {
        var file = Path.Combine(Source.Root, "src", package, "PublicApi.txt");
        var actual = PublicApi.Of(AssemblyOf(package)).ToList();
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            File.WriteAllText(file, string.Join('\n', actual) + '\n');
        }

        var expected = File.Exists(file) ? File.ReadAllLines(file) : [];

        var added = actual.Except(expected).Select(static line => $"+ {line.Trim()}");
        var removed = expected.Except(actual).Select(static line => $"- {line.Trim()}");
        var difference = string.Join('\n', added.Concat(removed));
        Assert.True(
            expected.SequenceEqual(actual),
            $"The public API of {package} differs from src/{package}/PublicApi.txt:\n{difference}\n" +
            $"If that is meant, run this test with {Accept}=1 in the environment and commit the file.");
    }

    private static Assembly AssemblyOf(string package) => package switch
    {
        "FastCgi.Protocol" => typeof(RecordHeader).Assembly,
        "FastCgi.Client" => typeof(FastCgiHandler).Assembly,
        "FastCgi.Gateway" => typeof(FastCgiGatewayOptions).Assembly,
        "FastCgi.Testing" => typeof(FastCgiTestClientOptions).Assembly,
        _ => typeof(FastCgiServerOptions).Assembly,
    };
}
