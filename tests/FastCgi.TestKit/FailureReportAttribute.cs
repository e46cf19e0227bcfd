using System.Collections.Concurrent;
using System.Reflection;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

namespace FastCgi.TestKit;

/// <summary>
/// Beside its message and its line, a failing test prints the end of every log of the programs that it started, what it
/// tried last where it tries many, and the command that repeats it.
/// </summary>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class FailureReportAttribute : BeforeAfterTestAttribute
{
    private const int ShownLines = 30;
    private const int ShownCharacters = 300;

    /// <summary>By the test that started the program, or by the class or collection whose fixture did.</summary>
    private static readonly ConcurrentDictionary<string, ConcurrentQueue<(string Title, Func<string?> Read)>> s_shown = new();

    /// <summary>Has the present test print this if it fails.</summary>
    /// <param name="read">Its text at the end of the test; nothing is printed where there is none.</param>
    public static void Add(string title, Func<string?> read)
    {
        var context = TestContext.Current;
        if ((context.Test?.UniqueID ?? context.TestClass?.UniqueID ?? context.TestCollection?.UniqueID) is { } owner)
        {
            s_shown.GetOrAdd(owner, static _ => []).Enqueue((title, read));
        }
    }

    public override void After(MethodInfo methodUnderTest, IXunitTest test)
    {
        s_shown.TryRemove(test.UniqueID, out var own);
        var context = TestContext.Current;
        if (context.TestState?.Result == TestResult.Failed && context.TestOutputHelper is { } output)
        {
            var ofClass = s_shown.GetValueOrDefault(context.TestClass?.UniqueID ?? "");
            var ofCollection = s_shown.GetValueOrDefault(context.TestCollection?.UniqueID ?? "");
            foreach (var (title, read) in (ReadOnlySpan<(string, Func<string?>)>)[.. own ?? [], .. ofClass ?? [], .. ofCollection ?? []])
            {
                if (read() is { Length: > 0 } text)
                {
                    output.WriteLine($"{title}:");
                    Array.ForEach(End(text), output.WriteLine);
                }
            }

            output.WriteLine(Command(test));
        }
    }

    /// <summary>
    /// From the folder of the repository, where tests/run has built the project. The one case of a theory has a number, which
    /// depends on the path of that folder.
    /// </summary>
    private static string Command(IXunitTest test)
    {
        var type = test.TestMethod.TestClass.Class;
        var project = type.Assembly.GetName().Name;
        var program = $"tests/{project}/bin/Release/net10.0/{project}";
        var command = $"Again: {program} -method {type.FullName}.{test.TestMethod.MethodName}";
        var arguments = test.TestMethodArguments;
        return arguments.Length > 0 && Array.TrueForAll(arguments, static one => SerializationHelper.Instance.IsSerializable(one))
            ? $"{command}{Environment.NewLine}In this folder, this case alone: {program} -preEnumerateTheories -id " +
                UniqueIDGenerator.ForTestCase(test.TestMethod.UniqueID, null, arguments)
            : command;
    }

    private static string[] End(string text) =>
        [.. text.Split('\n').TakeLast(ShownLines).Select(static line => $"    {line[..Math.Min(line.Length, ShownCharacters)]}")];
}
